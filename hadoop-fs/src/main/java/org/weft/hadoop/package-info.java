/**
 * Weft under Hadoop's FileSystem and FileContext, for {@code weft://} names. Hadoop's types stay
 * here. Everything blocks its caller; the client below has threads of its own.
 */
package org.weft.hadoop;
