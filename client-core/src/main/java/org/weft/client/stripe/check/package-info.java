/**
 * Checks whether the parity of a file at rest belongs to its data. Uses {@code base} and {@code
 * read}; changes nothing.
 */
package org.weft.client.stripe.check;
