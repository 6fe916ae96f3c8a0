"""Prefect flows: order, retries, concurrency. The steps themselves are in factmill/steps.py."""
