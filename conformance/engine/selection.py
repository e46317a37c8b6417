"""What a run covers: role, profiles, requirements, families."""

from dataclasses import dataclass, replace

from conformance.oracles.registry import oracles
from conformance.protocol.observation import Declaration
from conformance.specs.catalogue import catalogue, check_glob, matches
from conformance.specs.suggestion import suggestion, unknown
from conformance.strategies.grammar.family import Family, families


class NothingToRun(ValueError):
    """The selection is empty; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What a run covers.

    Attributes:
        role: The role whose questions are asked.
        profiles: The selected profiles; if empty, those that the implementation claims.
        requirements: A glob over requirement ids, or several with commas between them.
        families: The selected families; if empty, all.
        repeated: Whether the run asks cases of each family again and again: those of few cases, which take long, are
            then left out, unless families or requirements are selected.
    """

    role: str = "decode"
    profiles: tuple[str, ...] = ()
    requirements: str = "*"
    families: tuple[str, ...] = ()
    repeated: bool = False

    def pairs(self, declaration: Declaration) -> list[tuple[str, str]]:
        """Return the (family, profile) pairs to take cases from, for an implementation.

        Raises:
            NothingToRun: The implementation does not have the role, or the selection is empty.
        """
        if self.role not in declaration.roles:
            have = ", ".join(declaration.roles) or "none"
            raise NothingToRun(f"{declaration.name} does not declare the role {self.role!r}; it declares {have}")
        claimed = declaration.roles[self.role].profiles
        for profile in self.profiles:
            try:
                is_claimed = profile in claimed
            except ValueError as error:
                raise NothingToRun(str(error)) from error
            if not is_claimed:
                raise NothingToRun(f"{declaration.name} does not claim {profile}; it claims {', '.join(claimed)}")
        return self.pairs_under(self.profiles or claimed.names)

    def pairs_under(self, profiles: tuple[str, ...]) -> list[tuple[str, str]]:
        """Return the (family, profile) pairs to take cases from, under some profiles.

        Raises:
            NothingToRun: The selection is empty.
        """
        self.check_requirements()
        for name in self.families:
            if name not in families():
                raise NothingToRun(unknown("family", name, families(), plural="families", command="families"))
        pairs = [
            (family.name, profile)
            for family in families().values()
            if self.role in family.focus and self._wants(family)
            for profile in profiles
            if profile in family.profiles_of(self.role)
        ]
        if not pairs:
            raise NothingToRun(self._nothing_under(profiles))
        return pairs

    def _nothing_under(self, profiles: tuple[str, ...]) -> str:
        """Return the words for a selection without cases under some profiles."""
        have = {0: "no family has", 1: "the family {} has no"}.get(len(self.families), "the families {} have no")
        exercising = "" if self.requirements == "*" else f" that exercise {self.requirements!r}"
        under = ", ".join(profiles) or "any profile"
        return f"{have.format(', '.join(self.families))} cases{exercising} in the role {self.role!r} under {under}"

    def in_every_role(self, declaration: Declaration) -> list["Selection"]:
        """Return the same selection for each role that an implementation declares, except roles in which it is empty.

        Raises:
            NothingToRun: The selection is empty in every role.
        """
        selections, why = [], f"{declaration.name} declares no role"
        for role in declaration.roles:
            selection = replace(self, role=role)
            try:
                selection.pairs(declaration)
            except NothingToRun as error:
                why = str(error)
            else:
                selections.append(selection)
        if not selections:
            raise NothingToRun(why)
        return selections

    def check_requirements(self) -> None:
        """Look whether each glob over requirement ids matches one.

        Raises:
            NothingToRun: It does not.
        """
        try:
            check_glob(self.requirements)
        except ValueError as error:
            raise NothingToRun(str(error)) from error
        for glob in self.requirements.split(","):
            if not any(matches(each, glob) for each in catalogue()):
                close = suggestion(glob, catalogue())
                hint = "; ".join(filter(None, ("`binlog-conformance requirements` lists them", close)))
                raise NothingToRun(f"no requirement matches {glob!r}; {hint}")

    def _wants(self, family: Family) -> bool:
        if self.families and family.name not in self.families:
            return False
        if self.requirements == "*":
            return bool(self.families) or not (self.repeated and family.few)
        entries = catalogue()
        wanted = [each for each in oracles() if entries[each].role == self.role and matches(each, self.requirements)]
        return any(
            family.name in entries[each].families or "*" in entries[each].families or each == family.focus[self.role]
            for each in wanted
        )
