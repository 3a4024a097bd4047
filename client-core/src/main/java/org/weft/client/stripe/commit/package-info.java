/**
 * Brings the writes of a file to its components under its grant: it sends and repeats them. It does
 * without components that are lost (P 5.8), undoes what has no room, and tells OSDs what is
 * complete (P 5.4). {@link org.weft.client.stripe.commit.FileWriteService} is where all of it
 * begins. Knows nothing of what is written and why; uses {@code base}.
 */
package org.weft.client.stripe.commit;
