/**
 * The daemon of an object storage device: {@link org.weft.osd.OsdDaemon} puts store, commands and
 * membership together. See DESIGN 5 and P 5.
 */
package org.weft.osd;
