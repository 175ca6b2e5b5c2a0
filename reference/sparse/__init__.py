"""Sparse estimation: hard thresholding and peeling.

Zhang and Zhang (2021); Hu, Ni, Xiao and Wang (2022); Wang (2020), section 5.3.
"""
