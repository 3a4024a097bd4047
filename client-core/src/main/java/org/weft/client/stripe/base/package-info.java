/**
 * What reads and writes of files have in common: where a file is and under what right, options, and
 * which components it has. Also checksums of blocks, memory, and what all streams of a client share
 * ({@link org.weft.client.stripe.base.StripeContext}). Uses {@code hedge}, and none of the packages
 * beside it.
 */
package org.weft.client.stripe.base;
