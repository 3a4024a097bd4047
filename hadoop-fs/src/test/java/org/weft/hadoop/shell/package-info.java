/** The client jar on a class path that has nothing but a stock Hadoop client. */
package org.weft.hadoop.shell;
