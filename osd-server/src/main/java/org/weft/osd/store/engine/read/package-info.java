/**
 * Everything that only looks: reads of bytes, attributes and lists, pending lists (P 5.5), and the
 * medium for the scrub (P 5.2). {@code OsdfsStore} calls it. A look takes no lock and waits for no
 * commit of another object. Uses {@code change}, {@code commit}, {@code block} and {@code state}.
 */
package org.weft.osd.store.engine.read;
