"""The front of servers: accepts, greets, relays and stops without the interpreter."""
