package org.weft.it.architecture;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SliceRule;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What holds for packages of any module that has been cut by idea. */
final class PackageRules {
  private static final int MAX_CLASSES = 40;

  /** Classes that use each other in a circle are understood only together. */
  private static final int MAX_CLASSES_OF_A_CYCLE = 8;

  /** Fewer would mean that nothing was looked at. */
  private static final int MIN_PACKAGES = 10;

  private static final int MIN_CLASSES = 50;

  private PackageRules() {}

  /**
   * Packages use each other one way.
   *
   * @param what whose packages, for the message
   */
  static SliceRule haveNoCycle(String what) {
    return slices().assignedFrom(new ByPackage("packages of " + what)).should().beFreeOfCycles();
  }

  /** Each is small enough to be known whole. */
  static void assertFewClasses(JavaClasses classes, Predicate<String> packages) {
    SortedMap<String, Long> counts =
        classes.stream()
            .filter(JavaClass::isTopLevelClass)
            .filter(each -> !each.getSimpleName().equals("package-info"))
            .map(JavaClass::getPackageName)
            .filter(packages)
            .collect(
                Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
    assertTrue(counts.size() >= MIN_PACKAGES, counts::toString);
    assertEquals(
        List.of(),
        counts.entrySet().stream()
            .filter(each -> each.getValue() > MAX_CLASSES)
            .map(each -> each.getKey() + " has " + each.getValue() + " classes")
            .toList());
  }

  /** Few classes use each other in a circle. */
  static void assertSmallClassCycles(JavaClasses classes, Predicate<String> packages) {
    ClassCycles cycles = new ClassCycles(classes, packages);
    assertTrue(cycles.classes() >= MIN_CLASSES, () -> "classes: " + cycles.classes());
    assertEquals(List.of(), cycles.above(MAX_CLASSES_OF_A_CYCLE));
  }

  private record ByPackage(String description) implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass each) {
      return SliceIdentifier.of(each.getPackageName());
    }

    @Override
    public String getDescription() {
      return description;
    }
  }
}
