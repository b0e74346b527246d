"""What every part needs: errors, the files and numbers of users, progress, processes."""
