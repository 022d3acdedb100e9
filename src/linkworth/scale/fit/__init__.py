"""Rules for the fields of corresponding calls: fitted to the recordings, evaluated at the new rank count."""
