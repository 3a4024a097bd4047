/** Hadoop's own suites, run against a cluster in this JVM. */
package org.weft.hadoop.contract;
