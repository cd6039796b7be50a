// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PoolErrors} from "./Errors.sol";

/// Accumulates the floating income of each UTC day (per second and token, scaled by 1e25).
abstract contract FloatingIncome is PoolErrors {
    event UpdateDailyFloatingIncome(uint256 updatedDay, uint256 floatingIncome, uint256 accFloatingIncome);
    event UpdatePreviousFloatingIncome(uint256 firstDay, uint256[] floatingIncomes, uint256[] accFloatingIncomes);

    uint256 private constant SCALE = 1e25;

    mapping(uint256 day => uint256) public accFloatingIncome;
    uint256 public lastFloatingIncomeUpdateDay;

    function isFloatingIncomeSynced() external view returns (bool) {
        return lastFloatingIncomeUpdateDay == getDay(block.timestamp) - 1;
    }

    /// Returns the UTC day of a timestamp.
    function getDay(uint256 timestamp) public pure returns (uint128) {
        return uint128(timestamp / 1 days);
    }

    function _updateDaily(uint256 income) internal {
        uint256 yesterday = getDay(block.timestamp) - 1;
        uint256 last = lastFloatingIncomeUpdateDay;
        if (last == yesterday) revert ReserveStabilityPool__DailyFloatingIncomeAlreadyUpdated();
        // The first update has no previous day.
        if (last != 0 && last != yesterday - 1) revert ReserveStabilityPool__PreviousDayNotUpdated();
        uint256 acc = accFloatingIncome[yesterday - 1] + income;
        accFloatingIncome[yesterday] = acc;
        lastFloatingIncomeUpdateDay = yesterday;
        emit UpdateDailyFloatingIncome(yesterday, income, acc);
    }

    /// Writes the sums of the named days only. Later sums stay as they are, so the income of the day after the named ones
    /// changes too.
    function _updatePrevious(uint256 firstDay, uint256 dayCount, uint256[] calldata incomes) internal {
        if (firstDay == 0 || dayCount == 0) revert ReserveStabilityPool__InvalidInputParameter();
        if (dayCount != incomes.length) revert ReserveStabilityPool__ArrayLengthMismatch();
        uint256 lastNamed = firstDay + dayCount - 1;
        if (lastNamed >= getDay(block.timestamp)) revert ReserveStabilityPool__UpdateDayIsNotValid(lastNamed);
        uint256 last = lastFloatingIncomeUpdateDay;
        if (last != 0 && firstDay > last + 1) revert ReserveStabilityPool__FloatingIncomeNotSynced();
        uint256[] memory accs = new uint256[](dayCount);
        uint256 acc = accFloatingIncome[firstDay - 1];
        for (uint256 index = 0; index < dayCount; ++index) {
            acc += incomes[index];
            accs[index] = acc;
            accFloatingIncome[firstDay + index] = acc;
        }
        if (lastNamed > last) lastFloatingIncomeUpdateDay = lastNamed;
        else if (lastNamed < last && accFloatingIncome[lastNamed + 1] < acc) {
            revert ReserveStabilityPool__FloatingIncomeNotSynced();
        }
        emit UpdatePreviousFloatingIncome(firstDay, incomes, accs);
    }

    /// Truncates each of the three terms separately. Underflows if a position ends on its lend day, which needs a minimum
    /// maturity below 1 day.
    function _floatingIncome(uint256 lent, uint256 end, uint256 principal) internal view returns (uint256 income) {
        uint256 lendDay = getDay(lent);
        uint256 endDay = getDay(end);
        uint256 last = lastFloatingIncomeUpdateDay;
        if (last == 0 || last < lendDay) return 0;
        uint256 accLendDay = accFloatingIncome[lendDay];
        bool isEndDayKnown = last >= endDay;
        uint256 accMiddle = accFloatingIncome[isEndDayKnown ? endDay - 1 : last];
        income = (accLendDay - accFloatingIncome[lendDay - 1]) * principal * ((lendDay + 1) * 1 days - lent) / SCALE;
        income += (accMiddle - accLendDay) * principal * 1 days / SCALE;
        if (isEndDayKnown) {
            income += (accFloatingIncome[endDay] - accMiddle) * principal * (end - endDay * 1 days) / SCALE;
        }
    }
}
