"""An auditor that tries to prove differentially private algorithms wrong."""
