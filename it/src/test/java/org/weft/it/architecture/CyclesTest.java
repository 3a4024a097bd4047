package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What the rules on cycles count. */
class CyclesTest {
  private static List<Set<String>> above(int names, Class<?>... all) {
    return List.copyOf(Cycles.ofClasses(new ClassFileImporter().importClasses(all)).above(names));
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

  @Test
  void mutualUseIsACycleUnlessOneDependencyIsIgnored() {
    var classes = new ClassFileImporter().importClasses(String.class, Locale.class);
    assertEquals(
        List.of(Set.of("java.lang", "java.util")),
        Cycles.ofPackages(classes, dependency -> true).above(1));
    assertEquals(
        List.of(),
        Cycles.ofPackages(
                classes, each -> !each.getTargetClass().getPackageName().equals("java.util"))
            .above(1));
  }
}
