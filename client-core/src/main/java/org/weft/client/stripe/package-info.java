/**
 * Files as streams of stripes (DESIGN 5; Panasas FAST'08, sections 4.1 to 4.3): a writer that
 * computes parity and keeps a window of runs in flight, an updater that changes a file at any
 * positions, cuts and punches it, a reader that verifies, decodes what is lost and reads ahead, and
 * a resolver that decides what dead writers left pending, and a check of parity.
 *
 * <p>{@link org.weft.client.stripe.StripeEngine} holds what they share: connections, buffers, and
 * which OSDs failed lately. All are asynchronous; their work runs on the executor that the engine
 * was given, but what is written is encoded by who writes. Event loops do what is short: few blocks
 * that were read, checksums of what stays where it arrived, answers to small writes.
 */
package org.weft.client.stripe;
