/**
 * A process that runs single repetitions of loads as it is told, line by line. So one driver can
 * let several systems take turns, while each keeps its warm JVM and its connections.
 */
package org.weft.bench.driven;
