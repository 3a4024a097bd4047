/**
 * Reads files (DESIGN 5): plans of which components are read, requests to OSDs, decoding of what is
 * lost, the second look beside a writer (P 5.6), and reading ahead. Uses {@code base} and {@code
 * hedge}.
 */
package org.weft.client.stripe.read;
