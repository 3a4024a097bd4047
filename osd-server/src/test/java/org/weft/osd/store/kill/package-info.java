/** The store in a process of its own, killed at random. */
package org.weft.osd.store.kill;
