/** What an OSD asks of the operating system that the JDK does not offer. */
package org.weft.osd.store.disk;
