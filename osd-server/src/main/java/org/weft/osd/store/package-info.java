/**
 * OSDFS, the store inside an OSD. It keeps objects of 4 KiB blocks, copy-on-write, and everything
 * but the bytes in an ordered key-value store. See P 5.2, 5.4, 5.9 and "OSDFS" of Panasas FAST'08,
 * section 3.2.
 *
 * <p>{@link org.weft.osd.store.ObjectStore} is the way in; the rest of the public types are what
 * goes in and comes out. The store knows nothing of frames, capabilities or files. Its caller has
 * checked that the access is allowed, and says under which {@link
 * org.weft.osd.store.value.Authority} the call runs.
 */
package org.weft.osd.store;
