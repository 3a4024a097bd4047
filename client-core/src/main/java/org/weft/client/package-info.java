/**
 * The Java API of Weft, all of it. {@link org.weft.client.Weft} connects a program to a cluster.
 * {@link org.weft.client.WeftClient} does so with threads and a network that the caller owns.
 * {@link org.weft.client.WeftFileSystem} works on files with futures. {@link
 * org.weft.client.WeftFiles} does the same for code that may block.
 *
 * <p>Futures complete on the executor that the caller gave, or on the thread that waits for them by
 * {@link org.weft.client.Blocking}, never on a thread of ours. Failures are {@link
 * org.weft.protocol.error.WeftException}s, whose text names the path where there is one.
 *
 * <p>Public members show types of this package, of the JDK, and a few values of {@code
 * org.weft.protocol}. Packages below this one are internal.
 */
package org.weft.client;
