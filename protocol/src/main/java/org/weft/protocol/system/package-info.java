/**
 * The real world behind the seams: clocks, threads, files, the boot of the machine (P 8.1). Nothing
 * here knows the rules of the file system. Only this package and {@code transport} may touch {@code
 * java.time}, {@code Executors} and {@code FileChannel} for a daemon.
 */
package org.weft.protocol.system;
