/** The connector's keys, and what its URIs and options of one file say: text and values. */
package org.weft.hadoop.config;
