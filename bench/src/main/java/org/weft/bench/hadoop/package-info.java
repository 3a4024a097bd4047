/** The same loads on any Hadoop file system, for comparisons. */
package org.weft.bench.hadoop;
