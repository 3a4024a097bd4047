/** Hadoop's suites for FileContext, and its older ones for FileSystem, against the same cluster. */
package org.weft.hadoop.context;
