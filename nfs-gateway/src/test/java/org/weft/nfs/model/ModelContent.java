package org.weft.nfs.model;

import java.util.HashMap;
import java.util.Map;

/** Bytes of a file of the model, in pages that are never changed, so that a copy is cheap. */
final class ModelContent {
  private static final int PAGE_BYTES = 16 << 10;

  private final Map<Long, byte[]> pages;
  private long length;

  ModelContent() {
    this(new HashMap<>(), 0);
  }

  private ModelContent(Map<Long, byte[]> pages, long length) {
    this.pages = pages;
    this.length = length;
  }

  ModelContent copy() {
    return new ModelContent(new HashMap<>(pages), length);
  }

  long length() {
    return length;
  }

  byte[] read(long offset, int count) {
    int there = (int) Math.max(0, Math.min(count, length - offset));
    byte[] read = new byte[there];
    for (int at = 0; at < there; ) {
      long position = offset + at;
      int inPage = (int) (position % PAGE_BYTES);
      int step = Math.min(there - at, PAGE_BYTES - inPage);
      byte[] page = pages.get(position / PAGE_BYTES);
      if (page != null) {
        System.arraycopy(page, inPage, read, at, step);
      }
      at += step;
    }
    return read;
  }

  void write(long offset, byte[] written) {
    for (int at = 0; at < written.length; ) {
      long position = offset + at;
      int inPage = (int) (position % PAGE_BYTES);
      int step = Math.min(written.length - at, PAGE_BYTES - inPage);
      byte[] old = pages.get(position / PAGE_BYTES);
      byte[] page = old == null ? new byte[PAGE_BYTES] : old.clone();
      System.arraycopy(written, at, page, inPage, step);
      pages.put(position / PAGE_BYTES, page);
      at += step;
    }
    length = Math.max(length, offset + written.length);
  }

  /** What is cut off is zeros if it comes back. */
  void resize(long newLength) {
    if (newLength < length) {
      pages.keySet().removeIf(page -> page * PAGE_BYTES >= newLength);
      byte[] last = pages.get(newLength / PAGE_BYTES);
      if (last != null) {
        byte[] cut = last.clone();
        java.util.Arrays.fill(cut, (int) (newLength % PAGE_BYTES), PAGE_BYTES, (byte) 0);
        pages.put(newLength / PAGE_BYTES, cut);
      }
    }
    length = newLength;
  }
}
