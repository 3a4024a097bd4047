/** The connector's keys, and the parsing of its URIs and of options of one file. */
package org.weft.hadoop.config;
