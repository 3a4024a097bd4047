package org.weft.it.cluster;

import java.util.Arrays;
import java.util.Random;

/**
 * One change of one file: what a client prints before it asks for it, and what the file holds
 * afterwards. Its bytes follow from its number.
 */
record FileChange(long number, int file, Kind kind, int position, int length) {
  enum Kind {
    WRITE,
    SET_LENGTH,
    PUNCH,
    FLUSH,
    REOPEN
  }

  private static final int BLOCK_BYTES = 4096;
  private static final int MAX_BYTES = 400_000;

  static FileChange random(long number, int files, Random random) {
    Kind kind =
        switch (random.nextInt(12)) {
          case 0, 1 -> Kind.SET_LENGTH;
          case 2 -> Kind.PUNCH;
          case 3 -> Kind.FLUSH;
          case 4 -> Kind.REOPEN;
          default -> Kind.WRITE;
        };
    int position = random.nextInt(MAX_BYTES);
    int length = 1 + random.nextInt(random.nextInt(4) == 0 ? 150_000 : 9_000);
    return new FileChange(number, random.nextInt(files), kind, position, length);
  }

  static FileChange parse(String text) {
    String[] words = text.split(" ", 5);
    return new FileChange(
        Long.parseLong(words[0]),
        Integer.parseInt(words[1]),
        Kind.valueOf(words[2]),
        Integer.parseInt(words[3]),
        Integer.parseInt(words[4]));
  }

  @Override
  public String toString() {
    return number + " " + file + " " + kind + " " + position + " " + length;
  }

  byte[] bytes() {
    byte[] bytes = new byte[length];
    new Random(number).nextBytes(bytes);
    return bytes;
  }

  byte[] applyTo(byte[] content) {
    switch (kind) {
      case WRITE -> {
        byte[] after = Arrays.copyOf(content, Math.max(content.length, position + length));
        System.arraycopy(bytes(), 0, after, position, length);
        return after;
      }
      case SET_LENGTH -> {
        return Arrays.copyOf(content, position);
      }
      case PUNCH -> {
        byte[] after = content.clone();
        int end = Math.min(after.length, position + length);
        if (position < end) {
          Arrays.fill(after, position, end, (byte) 0);
        }
        return after;
      }
      default -> {
        return content;
      }
    }
  }

  /** Whether a file may hold this after the change was begun and its end is unknown. */
  boolean mayLeave(byte[] before, byte[] found) {
    byte[] after = applyTo(before);
    boolean known = found.length == before.length || found.length == after.length;
    boolean between =
        kind == Kind.WRITE && found.length >= before.length && found.length <= after.length;
    if (!known && !between) {
      return false;
    }
    for (int at = 0; at < found.length; at += BLOCK_BYTES) {
      int end = Math.min(at + BLOCK_BYTES, found.length);
      byte[] block = Arrays.copyOfRange(found, at, end);
      if (!Arrays.equals(block, part(before, at, end))
          && !Arrays.equals(block, part(after, at, end))) {
        return false;
      }
    }
    return true;
  }

  private static byte[] part(byte[] bytes, int from, int to) {
    byte[] part = new byte[to - from];
    int count = Math.min(to, bytes.length) - from;
    if (count > 0) {
      System.arraycopy(bytes, from, part, 0, count);
    }
    return part;
  }
}
