"""The modelling language: what a model file says, natively and lifted."""
