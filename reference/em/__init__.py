"""Private expectation-maximisation.

Wang, Ding, Hu, Xie, Pan and Xu (2020); Zhang and Zhang (2021); Wang (2020), section 7.2.
"""
