package org.weft.osd.store.value;

/** Every write of the grant up to this number is complete (P 5.4). */
public record CompletionMark(long grant, long upTo) {}
