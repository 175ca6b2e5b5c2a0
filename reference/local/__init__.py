"""The local model: each user randomises their own record (dissertation 5.1, 5.2)."""
