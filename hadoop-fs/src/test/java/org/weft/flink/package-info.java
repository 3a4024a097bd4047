/** Tests of what Flink loads. */
package org.weft.flink;
