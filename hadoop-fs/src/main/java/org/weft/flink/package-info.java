/**
 * Weft for Apache Flink: its file systems of the scheme {@code weft}, with the recoverable writer
 * that the exactly-once file sink needs. Nothing here is loaded unless Flink loads it.
 */
package org.weft.flink;
