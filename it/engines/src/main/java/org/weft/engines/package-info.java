/**
 * Jobs of stock engines on a running cluster, as a data engineer runs them: Spark, Iceberg, Delta
 * Lake, MapReduce, distcp. Only names of Hadoop and of the engines stand here; {@code weft://} is
 * found in the client jar. Each job compares all that it reads with a model that was computed
 * without Weft. Settings, SQL and commands are taken from the pages under docs/.
 */
package org.weft.engines;
