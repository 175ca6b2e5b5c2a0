"""What everything uses: verdicts, contexts, errors, cases, neighbours, witnesses."""
