/**
 * Files as streams of stripes (DESIGN 5; Panasas FAST'08, sections 4.1 to 4.3). {@link
 * org.weft.client.stripe.StripeEngine} begins reads, writes and checks; each of these is a package
 * below this one, and uses {@code base}, which knows none of them.
 *
 * <p>All are asynchronous; their work runs on the executor that the engine was given, but what is
 * written is encoded by the thread that writes. Event loops do what is short: few blocks that were
 * read, checksums of what stays where it arrived, answers to small writes.
 */
package org.weft.client.stripe;
