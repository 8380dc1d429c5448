"""Independent cases on the workers of a Dask cluster: processes of this machine, or those of any Dask scheduler."""
