"""Ways to evaluate a lifted model, and the certificate that they mean what CPython means."""
