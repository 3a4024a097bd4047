/**
 * The Java API of Weft. {@link org.weft.client.WeftClient} connects to a cluster, and {@link
 * org.weft.client.WeftFileSystem} works on its files with futures. {@link
 * org.weft.client.WeftFiles} does the same for code that may block.
 *
 * <p>Futures complete on the executor that the caller gave, or on the thread that waits for them by
 * {@link org.weft.client.Blocking}, never on a thread of ours. Failures are {@link
 * org.weft.protocol.error.WeftException}s, whose text begins with the path.
 */
package org.weft.client;
