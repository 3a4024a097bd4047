package org.weft.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WeftPathTest {
  static LongStream seeds() {
    return LongStream.rangeClosed(1, 200);
  }

  @ParameterizedTest
  @CsvSource({
    "/, /",
    "//, /",
    "/a/b, /a/b",
    "/a//b/, /a/b",
    "/a/./b/../c, /a/c",
    "/a/..., /a/...",
    "/a/b/../.., /",
    "'/a b/ü', '/a b/ü'"
  })
  void pathsAreNormalised(String text, String normal) {
    assertEquals(normal, WeftPath.of(text).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "a/b", "/..", "/a/../..", "/a\0b", "/\ud800", "/a/\udc00x"})
  void anInvalidPathIsRefusedWithTheRule(String text) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> WeftPath.of(text));
    assertTrue(refused.getMessage().contains(": "), refused.getMessage());
  }

  @Test
  void namesHaveAtMost255BytesOfUtf8() {
    assertEquals(255, WeftPath.of("/" + "n".repeat(255)).name().length());
    assertEquals(127, WeftPath.of("/" + "ü".repeat(127)).name().length());
    for (String name : List.of("n".repeat(256), "ü".repeat(128), "\ud83d\ude00".repeat(64))) {
      assertThrows(IllegalArgumentException.class, () -> WeftPath.of("/" + name));
      assertThrows(IllegalArgumentException.class, () -> WeftPath.ROOT.child(name));
    }
  }

  @Test
  void unicodeIsNotNormalised() {
    assertNotEquals(WeftPath.of("/\u00fc"), WeftPath.of("/u\u0308"));
  }

  @Test
  void pathsAreBoundedInDepthAndLength() {
    String deep = "/a".repeat(WeftPath.MAX_NAMES);
    assertEquals(WeftPath.MAX_NAMES, WeftPath.of(deep).names().size());
    assertThrows(IllegalArgumentException.class, () -> WeftPath.of(deep + "/a"));
    assertThrows(IllegalArgumentException.class, () -> WeftPath.of(deep).child("a"));
    String longest = ("/" + "n".repeat(255)).repeat(256);
    assertEquals(longest, WeftPath.of(longest).toString());
    assertThrows(IllegalArgumentException.class, () -> WeftPath.of(longest + "/n"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a/b", "/", "a\0"})
  void aChildIsOneName(String name) {
    assertThrows(IllegalArgumentException.class, () -> WeftPath.ROOT.child(name));
  }

  @Test
  void resolvingFollowsTextAbsoluteOrFromHere() {
    WeftPath here = WeftPath.of("/a/b");
    assertEquals("/a/b/c", here.resolve("c").toString());
    assertEquals("/a/c", here.resolve("../c").toString());
    assertEquals("/c", here.resolve("/c").toString());
    assertEquals(here, here.resolve("."));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void anyValidNamesMakeAPathThatReadsBack(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    WeftPath path = WeftPath.ROOT;
    List<String> names = new ArrayList<>();
    for (int depth = random.nextInt(8); depth >= 0; depth--) {
      String name = randomName(random);
      path = path.child(name);
      names.add(name);
      assertEquals(name, path.name());
      assertTrue(path.startsWith(path.parent().orElseThrow()));
    }
    assertEquals(names, path.names());
    assertEquals(path, WeftPath.of(path.toString()));
    assertEquals(path.hashCode(), WeftPath.of(path.toString()).hashCode());
    assertEquals(path, WeftPath.of("/" + decorate(random, names)));
    assertEquals(0, path.compareTo(WeftPath.of(path.toString())));
    assertTrue(path.compareTo(path.parent().orElseThrow()) > 0);
    assertEquals(Optional.empty(), WeftPath.ROOT.parent());
  }

  /** The same names with what normalising takes away. */
  private static String decorate(SplittableRandom random, List<String> names) {
    StringBuilder text = new StringBuilder();
    for (String name : names) {
      switch (random.nextInt(4)) {
        case 0 -> text.append("./");
        case 1 -> text.append("//");
        case 2 -> text.append("gone/../");
        default -> {}
      }
      text.append(name).append('/');
    }
    return text.toString();
  }

  private static String randomName(SplittableRandom random) {
    while (true) {
      StringBuilder name = new StringBuilder();
      int length = 1 + random.nextInt(60);
      for (int index = 0; index < length; index++) {
        int point = random.nextBoolean() ? 1 + random.nextInt(0x7f) : 1 + random.nextInt(0x10ffff);
        if (point != '/' && (point < 0xd800 || point > 0xdfff)) {
          name.appendCodePoint(point);
        }
      }
      String text = name.toString();
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      if (bytes >= 1 && bytes <= 255 && !text.equals(".") && !text.equals("..")) {
        return text;
      }
    }
  }
}
