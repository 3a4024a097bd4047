/** What the first seconds of a new client JVM cost: Hadoop's shell on several systems in turns. */
package org.weft.bench.cold;
