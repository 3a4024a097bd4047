/** An OSD in a process of its own, small, under a crowd of clients that are slow on purpose. */
package org.weft.osd.crowd;
