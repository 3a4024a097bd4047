/**
 * What reads and writes of files have in common: where a file is and under what right, options,
 * what all streams of a client share ({@link org.weft.client.stripe.base.StripeContext}), checksums
 * of blocks, memory, and which components a file has. Uses {@code hedge}, and none of the packages
 * beside it.
 */
package org.weft.client.stripe.base;
