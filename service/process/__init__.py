"""What every process of the service needs: logging, memory limits, threads, start and end."""
