"""Success of designs for `divider` under the errors of paper 002, Fig. 9."""
