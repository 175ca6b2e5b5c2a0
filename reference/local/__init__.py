"""The local model: each user randomises their own record (Wang (2020), sections 5.1 to 5.3)."""
