/**
 * {@code weft fs}: files of a cluster on the command line. It has one class per command. {@link
 * org.weft.cli.fs.RemoteFiles} is what they need of a cluster, so that they run against one in
 * memory.
 *
 * <p>Exit codes: 0 all done, 1 something failed (one line each on standard error), 2 used wrongly.
 */
package org.weft.cli.fs;
