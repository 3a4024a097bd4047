/** What is left in a process after clients and file systems were closed. */
package org.weft.hadoop.ends;
