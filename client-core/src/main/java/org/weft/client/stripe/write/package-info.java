/**
 * Writes files. A stream computes parity and keeps a window of runs in flight. An updater changes a
 * file at any positions, cuts and punches it (P 4.2, 4.3, 5.3). Uses {@code base}, {@code read} for
 * what stays of a stripe, and {@code commit} to have it stored.
 */
package org.weft.client.stripe.write;
