package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What the rule on cycles of classes counts. */
class ClassCyclesTest {
  private static List<Set<String>> above(int classes, Class<?>... all) {
    var cycles = new ClassCycles(new ClassFileImporter().importClasses(all), name -> true);
    return List.copyOf(cycles.above(classes));
  }

  @Test
  void twoClassesThatUseEachOtherAreACycleOfTwo() {
    Set<String> both = new TreeSet<>(Set.of("java.lang.String", "java.lang.StringBuilder"));
    assertEquals(List.of(both), above(1, String.class, StringBuilder.class));
    assertEquals(List.of(), above(2, String.class, StringBuilder.class));
  }

  @Test
  void aClassThatIsUsedOneWayIsInNoCycle() {
    assertEquals(List.of(), above(1, String.class, Iterable.class));
  }
}
